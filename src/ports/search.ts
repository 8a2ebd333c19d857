export type {
  Extent,
  SearchSource,
  SessionFacts,
  ShownHit,
  TextPlace,
  Timed,
} from "../domain/search/source.ts";
