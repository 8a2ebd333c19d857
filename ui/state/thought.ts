import type { ObservatorySession, ObservatoryThought } from "../../src/observatory/wire.ts";

export type Session = ObservatorySession;
export type Thought = ObservatoryThought;
export type ThoughtType = ObservatoryThought["type"];
