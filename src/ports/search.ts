export type {
  Extent,
  SearchSource,
  SessionFacts,
  TextPlace,
} from "../domain/search/source.ts";
