/** How one thought speaks of another in the notation. */
export const thoughtRelations = ["rests_on", "supports", "against", "revises", "rejects"] as const;
export type ThoughtRelation = (typeof thoughtRelations)[number];
