export type {
  Extent,
  Heading,
  SearchSource,
  SessionFacts,
  ShownHit,
  TextPlace,
  Timed,
} from "../domain/search/source.ts";
