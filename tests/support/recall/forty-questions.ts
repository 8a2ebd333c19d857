/** A question that a coding agent would ask about the shop. An answer has at most 2,000 characters. */
export type AskedQuestion = {
  question: string;
  /** The part that the answer begins with. */
  lead: "sessions" | "decisions" | "dead_ends" | "open" | "why";
  /** Parts that would not answer the question. */
  without?: readonly string[];
  /** Text that could mislead a reader who sees it before the facts. */
  notAbove?: string;
  /**
   * The first part must contain all of these texts, in any letter case. The list is empty if the shop knows
   * nothing about the question.
   */
  facts: readonly string[];
  /** Marks that a reader needs, anywhere in the answer. */
  marks?: readonly string[];
  file?: string;
};

const nothing: readonly string[] = [];
/** The evidence for the first size of the pool is older than the decision that the answer shows. */
const older = ['"older_than"'];

export const fortyQuestions: readonly AskedQuestion[] = [
  {
    question: "how large should the connection pool be",
    lead: "decisions",
    facts: ["20 connections"],
    marks: older,
  },
  {
    question: "why does the pool have 20 connections",
    lead: "decisions",
    facts: ["the database allows only 25"],
    marks: older,
  },
  {
    question: "why does checkout time out",
    lead: "sessions",
    without: ["open"],
    facts: ["why does checkout time out under load?", "9 seconds", "hypothesis", "20 connections"],
  },
  {
    question: "did we change our mind about the pool size",
    lead: "decisions",
    facts: ["20 connections", "40 connections"],
    marks: older,
  },
  {
    question: "what did we decide about the pool",
    lead: "decisions",
    facts: ["20 connections"],
    marks: older,
  },
  { question: "how long do requests wait for a connection", lead: "sessions", facts: ["9 seconds"] },
  {
    question: "can I raise the pool to 40 connections",
    lead: "decisions",
    facts: ["the database allows only 25"],
    marks: older,
  },
  {
    question: "did we try redis for the catalogue",
    lead: "dead_ends",
    without: ["decisions", "open"],
    facts: ["redis", "operations cannot run another service"],
  },
  { question: "why not redis", lead: "dead_ends", facts: ["operations cannot run another service"] },
  { question: "where is the catalogue cached", lead: "decisions", facts: ["in process"] },
  {
    question: "how long is the catalogue cached",
    lead: "decisions",
    facts: ["60 seconds", '"ground":"moved"'],
  },
  {
    question: "does the decision about how long catalogue entries live still apply",
    lead: "decisions",
    without: ["dead_ends", "open"],
    facts: ["one minute", '"ground":"moved"', "src/catalogue.ts"],
    marks: ["No recorded session explains the change"],
  },
  {
    question: "what did we use instead of redis",
    lead: "dead_ends",
    without: ["decisions", "open"],
    facts: ["in process for 60 seconds"],
  },
  {
    question: "which dead ends did we have with caching the catalogue",
    lead: "dead_ends",
    without: ["decisions", "open"],
    facts: ["redis"],
  },
  { question: "what did we decide about payments", lead: "decisions", facts: ["retry payments once"] },
  { question: "did exponential backoff work for payments", lead: "dead_ends", facts: ["did not help"] },
  {
    question: "why did backoff fail",
    lead: "dead_ends",
    facts: ["the provider blocks us", '"instead":"We decided to retry payments once'],
  },
  { question: "how often are failed payments retried", lead: "decisions", facts: ["once"] },
  { question: "what happens after a payment fails twice", lead: "decisions", facts: ["ask the customer"] },
  {
    question: "was trigram product search abandoned",
    lead: "dead_ends",
    without: ["decisions", "open"],
    facts: ["short product names", '"instead":"We will use full text'],
  },
  {
    question: "why were trigrams given up",
    lead: "dead_ends",
    without: ["decisions", "open"],
    notAbove: "stems words",
    facts: ["short product names", '"instead":"We will use full text'],
  },
  { question: "how does product search work", lead: "decisions", facts: ["full text"] },
  { question: "why full text for product search", lead: "decisions", facts: ["stems words"] },
  {
    question: "what is still open in product search",
    lead: "open",
    without: ["decisions", "dead_ends"],
    facts: ["which language"],
  },
  {
    question: "what are the open questions",
    lead: "open",
    without: ["decisions", "dead_ends"],
    facts: ["which language"],
  },
  {
    question: "which alternatives for product search did we reject",
    lead: "dead_ends",
    without: ["decisions", "open"],
    facts: ["trigrams"],
  },
  {
    question: "may I delete invoices",
    lead: "decisions",
    notAbove: "Delete old invoices",
    facts: ["Never delete invoices by hand"],
  },
  {
    question: "what did the user refuse",
    lead: "decisions",
    without: ["dead_ends", "open"],
    facts: ["Use the archive job"],
  },
  { question: "how do I remove old invoices", lead: "decisions", facts: ["archive job"] },
  {
    question: "why are invoices archived and not deleted",
    lead: "sessions",
    facts: ["the law wants them for ten years"],
  },
  {
    question: "what was asked for about old invoices",
    lead: "sessions",
    facts: ["Delete old invoices after ten years"],
  },
  {
    question: "why does this file exist",
    file: "src/invoices.ts",
    lead: "why",
    facts: ["the law wants them for ten years"],
  },
  {
    question: "why is src/invoices.ts written like this",
    lead: "why",
    facts: ["src/invoices.ts", "archive"],
  },
  {
    question: "what did we decide so far",
    lead: "decisions",
    facts: ["retry payments once", "in process", "full text"],
  },
  {
    question: "what did we try that failed",
    lead: "dead_ends",
    without: ["decisions", "open"],
    facts: ["backoff"],
  },
  {
    question: "is the connection pool certificate expired",
    lead: "sessions",
    without: ["decisions", "dead_ends", "open"],
    facts: nothing,
  },
  {
    question: "which dead ends are there",
    lead: "dead_ends",
    without: ["decisions", "open"],
    facts: ["backoff", "redis", "trigrams"],
  },
  { question: "kubernetes ingress certificates", lead: "sessions", facts: nothing },
  { question: "how do we deploy to staging", lead: "sessions", facts: nothing },
  { question: "who maintains the terraform modules", lead: "sessions", facts: nothing },
];
