import { createAdmissionPolicy } from "../../http/admission/admission-policy.ts";
import { createServerFactory, type Lists, type Workings } from "../server.ts";
import { type HttpService, type ServeHttpOptions, serveHttp } from "./serve-http.ts";

type OpenHttpOptions = Pick<ServeHttpOptions, "port" | "host" | "clock" | "onError"> & {
  version: string;
  lists: Lists;
  workings: Workings;
  admission: Parameters<typeof createAdmissionPolicy>[0];
};

/** The HTTP door with everything in place behind it. */
export function openHttp({
  version,
  lists,
  workings,
  admission,
  ...options
}: OpenHttpOptions): Promise<HttpService> {
  return serveHttp({
    ...options,
    factory: createServerFactory({ version, transport: "http", lists, workings: async () => workings }),
    updates: workings.updates,
    policy: createAdmissionPolicy(admission),
  });
}
