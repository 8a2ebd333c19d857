export type {
  Extent,
  Heading,
  Holders,
  ReadTexts,
  SearchSource,
  SessionFacts,
  TextPlace,
} from "../domain/search/source.ts";
