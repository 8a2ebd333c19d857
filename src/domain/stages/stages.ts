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

/** Reading the cipher opens stage 2, or stage 3 if a domain was already chosen. */
export function stageAfterCipher(domain: Domain | undefined): Stage {
  return domain ? stages.domain_active : stages.cipher_loaded;
}

/** Choosing a domain opens stage 3 only after the cipher was read. Before that, the domain is only stored. */
export function stageAfterDomain(current: Stage): Stage {
  return current >= stages.cipher_loaded ? stages.domain_active : current;
}
