import { type Client, type ClientOptions, loadDriver, typesOf } from "./driver.ts";
import type { Target } from "./open-pool.ts";

/**
 * A connection in use. Pass `isBroken` to `release` if it cannot be used again. After the release, `client`
 * refuses statements, because the connection may be in the transaction of another call.
 */
export type Lease = { client: Client; release(isBroken?: boolean): void };

export type Pool = ReturnType<typeof createPool>;

const connectWithinMs = 5_000;

const released = () => new Error("the connection was already released");

/**
 * Keeps at most `max` connections. If there are several hosts, each new connection looks for the host that
 * accepts writes, starting with the last host used. After a failover, new connections go to the new host, and
 * old ones break.
 */
export function createPool(target: Target, max: number, prepareClient: (client: Client) => Promise<void>) {
  const idle: Client[] = [];
  const all = new Set<Client>();
  const waiting: { resolve(client: Client): void; reject(thrown: unknown): void }[] = [];
  let opening = 0;
  let hostAt = 0;
  let losses = 0;
  let closed = false;

  async function connectTo(place: { host: string; port: number }): Promise<Client> {
    const driver = loadDriver();
    const { user, password, database, ssl } = target;
    const options: ClientOptions = {
      ...place,
      user,
      password,
      database,
      ssl,
      application_name: "thoughtbox",
      connectionTimeoutMillis: connectWithinMs,
      keepAlive: true,
      pipeline: true,
      types: typesOf(driver),
    };
    const client = new driver.Client(options);
    // If the connection is in use, its statement reports the error. If it is idle, it is only removed.
    const lose = () => {
      if (all.has(client)) losses += 1;
      forget(client);
    };
    client.on("error", lose);
    client.on("end", lose);
    await client.connect();
    all.add(client);
    return client;
  }

  /** Connects to the first host that accepts writes. A single host is used without checking. */
  async function connect(): Promise<Client> {
    let failure: unknown;
    for (let n = 0; n < target.hosts.length; n += 1) {
      const at = (hostAt + n) % target.hosts.length;
      try {
        const client = await connectTo(target.hosts[at] ?? { host: "localhost", port: 5432 });
        if (target.hosts.length > 1 && (await isReplica(client))) {
          forget(client);
          void client.end().catch(() => {});
          failure ??= Object.assign(new Error("no host accepts writes"), { code: "25006" });
          continue;
        }
        hostAt = at;
        await prepareClient(client);
        return client;
      } catch (thrown) {
        failure = thrown;
      }
    }
    throw failure;
  }

  const isReplica = async (client: Client): Promise<boolean> =>
    (await client.query("SELECT pg_is_in_recovery() AS replica")).rows[0]?.["replica"] === 1;

  function forget(client: Client): void {
    all.delete(client);
    const at = idle.indexOf(client);
    if (at >= 0) idle.splice(at, 1);
  }

  function open(): void {
    opening += 1;
    connect().then(
      (client) => {
        opening -= 1;
        handOn(client);
      },
      (thrown) => {
        opening -= 1;
        waiting.shift()?.reject(thrown);
      },
    );
  }

  function handOn(client: Client): void {
    const next = waiting.shift();
    if (next) next.resolve(client);
    else if (closed) void client.end().catch(() => {});
    else idle.push(client);
  }

  return {
    async take(): Promise<Lease> {
      const client =
        idle.pop() ??
        (await new Promise<Client>((resolve, reject) => {
          waiting.push({ resolve, reject });
          if (all.size + opening < max) open();
        }));
      let isReleased = false;
      return {
        client: {
          ...(client.connection && { connection: client.connection }),
          connect: () => client.connect(),
          query: (question) => (isReleased ? Promise.reject(released()) : client.query(question)),
          end: () => client.end(),
          on: (event: never, listener: never) => client.on(event, listener),
        },
        release(isBroken = false) {
          isReleased = true;
          if (!isBroken && all.has(client)) return handOn(client);
          if (isBroken) losses += 1;
          forget(client);
          void client.end().catch(() => {});
          // If no new connection were opened here, callers that wait for one would wait forever.
          if (waiting.length > 0) open();
        },
      };
    },
    /** Returns how many connections have broken so far. */
    losses: () => losses,
    size: () => ({ open: all.size, idle: idle.length, waiting: waiting.length, max }),
    async close(): Promise<void> {
      closed = true;
      await Promise.allSettled([...all].map((client) => client.end()));
    },
  };
}
