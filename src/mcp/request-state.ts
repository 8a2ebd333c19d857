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
 * State that a call keeps between two runs is signed, because it travels through the client. The key is read when the
 * first state is created, so a client that is never asked creates no key.
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
