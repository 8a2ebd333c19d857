import type { ErrorAnswer, HealthAnswer } from "../../src/observatory/wire.ts";

export type Health = HealthAnswer;
/** `kind` is set if the server knows why nothing can be shown, such as `binary` for a file. */
export type Failed = { status: number; message: string; kind?: string | undefined };
export type Fetched<Answer> = { answer: Answer } | { failed: Failed };
export type Get = <Answer>(path: string, query?: Query, signal?: AbortSignal) => Promise<Fetched<Answer>>;
type Query = Record<string, string | number | undefined>;

export type Post = <Answer>(path: string, body: object) => Promise<Fetched<Answer>>;

const storedProof = (): string | null => {
  try {
    return localStorage.getItem("thoughtbox-page");
  } catch {
    return null;
  }
};

/**
 * Proves to the server that this page sent the request. The cookie alone is no proof, because other ports of
 * this host receive it too.
 */
const proofHeader = (): Record<string, string> => {
  const proof = storedProof();
  return proof ? { "thoughtbox-page": proof } : {};
};

/** Returns the same proof for a WebSocket, for which a page cannot set headers. */
export const proofProtocols = (): string[] => {
  const proof = storedProof();
  return proof ? ["thoughtbox", `thoughtbox.page.${proof}`] : [];
};

/** Writes to `/api/`. The server accepts only remarks. */
export const createPost =
  (base: string, fetcher: typeof fetch = fetch): Post =>
  <Answer>(path: string, body: object) =>
    answerOf<Answer>(() =>
      fetcher(new URL(path, base), {
        method: "POST",
        headers: { accept: "application/json", "content-type": "application/json", ...proofHeader() },
        body: JSON.stringify(body),
      }),
    );

export const createGet =
  (base: string, fetcher: typeof fetch = fetch): Get =>
  async <Answer>(path: string, query: Query = {}, signal?: AbortSignal) => {
    const url = new URL(path, base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
    return answerOf<Answer>(() =>
      fetcher(url, { signal: signal ?? null, headers: { accept: "application/json", ...proofHeader() } }),
    );
  };

async function answerOf<Answer>(send: () => Promise<Response>): Promise<Fetched<Answer>> {
  try {
    const response = await send();
    if (response.ok) return { answer: (await response.json()) as Answer };
    const said = await response
      .json()
      .then(({ error: { message, kind } }: ErrorAnswer) => ({ message, kind }))
      .catch(() => ({ message: response.statusText }));
    return { failed: { status: response.status, ...said } };
  } catch (error) {
    return { failed: { status: 0, message: error instanceof Error ? error.message : String(error) } };
  }
}
