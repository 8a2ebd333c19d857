import {
  createRequestStateCodec,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";

type State = Record<string, unknown>;

export type RequestStates = {
  mint(state: State, context: ServerContext): Promise<string>;
  verify(state: string, context: ServerContext): Promise<State>;
};

/**
 * What a call remembers between two runs travels through the client, so it is signed. The key is read when the first
 * state is made: a client that is never asked leaves no key behind.
 */
export function createRequestStates(loadKey: () => Promise<string>): RequestStates {
  let codec: Promise<RequestStateCodec<State>> | undefined;
  const ready = () => {
    codec ??= loadKey().then((key) =>
      createRequestStateCodec<State>({
        key,
        bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo?.clientId ?? ""}`,
      }),
    );
    return codec;
  };
  return {
    mint: async (state, context) => (await ready()).mint(state, context),
    verify: async (state, context) => (await ready()).verify(state, context),
  };
}
