/** What a coding agent would ask about the shop, and what an answer of at most 2,000 characters must contain. */
export type AskedQuestion = {
  question: string;
  /** All of these, in any letter case. None if the shop knows nothing about it. */
  facts: readonly string[];
  file?: string;
};

const nothing: readonly string[] = [];

export const fortyQuestions: readonly AskedQuestion[] = [
  { question: "how large should the connection pool be", facts: ["20 connections"] },
  { question: "why does the pool have 20 connections", facts: ["the database allows only 25"] },
  { question: "why does checkout time out", facts: ["pool", "20 connections"] },
  { question: "did we change our mind about the pool size", facts: ["20 connections", "40 connections"] },
  { question: "what did we decide about the pool", facts: ["20 connections"] },
  { question: "how long do requests wait for a connection", facts: ["9 seconds"] },
  { question: "can I raise the pool to 40 connections", facts: ["the database allows only 25"] },
  {
    question: "did we try redis for the catalogue",
    facts: ["redis", "operations cannot run another service"],
  },
  { question: "why not redis", facts: ["operations cannot run another service"] },
  { question: "where is the catalogue cached", facts: ["in process"] },
  { question: "how long is the catalogue cached", facts: ["60 seconds"] },
  {
    question: "does the decision about how long catalogue entries live still apply",
    facts: ["one minute", '"ground":"moved"', "src/catalogue.ts"],
  },
  { question: "what did we use instead of redis", facts: ["in process for 60 seconds"] },
  { question: "which dead ends did we have with caching the catalogue", facts: ["redis"] },
  { question: "what did we decide about payments", facts: ["retry payments once"] },
  { question: "did exponential backoff work for payments", facts: ["did not help"] },
  { question: "why did backoff fail", facts: ["the provider blocks us"] },
  { question: "how often are failed payments retried", facts: ["once"] },
  { question: "what happens after a payment fails twice", facts: ["ask the customer"] },
  { question: "was trigram product search abandoned", facts: ["short product names"] },
  { question: "why were trigrams given up", facts: ["short product names"] },
  { question: "how does product search work", facts: ["full text"] },
  { question: "why full text for product search", facts: ["stems words"] },
  { question: "what is still open in product search", facts: ["which language"] },
  { question: "what are the open questions", facts: ["which language"] },
  { question: "which alternatives for product search did we reject", facts: ["trigrams"] },
  { question: "may I delete invoices", facts: ["Never delete invoices by hand"] },
  { question: "what did the user refuse", facts: ["Use the archive job"] },
  { question: "how do I remove old invoices", facts: ["archive job"] },
  { question: "why are invoices archived and not deleted", facts: ["the law wants them for ten years"] },
  { question: "what was asked for about old invoices", facts: ["Delete old invoices after ten years"] },
  {
    question: "why does this file exist",
    file: "src/invoices.ts",
    facts: ["the law wants them for ten years"],
  },
  { question: "why is src/invoices.ts written like this", facts: ["src/invoices.ts", "archive"] },
  { question: "what did we decide so far", facts: ["retry payments once", "in process", "full text"] },
  { question: "what did we try that failed", facts: ["backoff"] },
  { question: "is the connection pool certificate expired", facts: ["20 connections", "certificate"] },
  { question: "which dead ends are there", facts: ["backoff", "redis", "trigrams"] },
  { question: "kubernetes ingress certificates", facts: nothing },
  { question: "how do we deploy to staging", facts: nothing },
  { question: "who maintains the terraform modules", facts: nothing },
];
