/** The four stages of disclosure. The contract defines the names. Callers see the numbers. */
export const stages = { entry: 0, init_complete: 1, cipher_loaded: 2, domain_active: 3 } as const;

export type StageName = keyof typeof stages;
export type Stage = (typeof stages)[StageName];

const names = Object.keys(stages) as StageName[];

export function stageName(stage: Stage): StageName {
  return names[stage] ?? "entry";
}

/** The domains of stage 3, which are the six tags of the mental models. */
export const domains = [
  "debugging",
  "planning",
  "decision-making",
  "risk-management",
  "problem-solving",
  "analysis",
] as const;
export type Domain = (typeof domains)[number];

/** Returns the stage after the cipher is read: stage 3 if a domain was already chosen, stage 2 if not. */
export function stageAfterCipher(domain: Domain | undefined): Stage {
  return domain ? stages.domain_active : stages.cipher_loaded;
}

/** Returns stage 3 if the cipher was already read. If not, returns the current stage. */
export function stageAfterDomain(current: Stage): Stage {
  return current >= stages.cipher_loaded ? stages.domain_active : current;
}
