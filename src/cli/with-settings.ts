import type { Settings, Terminal } from "./host.ts";

/** True for a function that takes settings, and for an object that contains such a function. */
type TakesSettings<Member> = Member extends (...args: infer Given) => unknown
  ? Settings extends Given[number]
    ? true
    : false
  : Member extends readonly unknown[] | string | number | boolean | Promise<unknown> | AbortSignal | undefined
    ? false
    : true extends { [Key in keyof Member]: TakesSettings<Member[Key]> }[keyof Member]
      ? true
      : false;

/**
 * The members of a terminal that depend on settings. The compiler reports a new member until `withSettings`
 * passes the settings on to it.
 */
export type Configured = {
  [Key in keyof Terminal as TakesSettings<Terminal[Key]> extends true ? Key : never]: Terminal[Key];
};

/** Returns a terminal whose stores, servers and files use these settings. A command's own override them. */
export function withSettings(terminal: Terminal, settings: Settings): Terminal {
  if (Object.keys(settings).length === 0) return terminal;
  const merge = (own: Settings = {}): Settings => ({ ...settings, ...own });
  const configured: Configured = {
    openServer: (own, defaults) => terminal.openServer(merge(own), defaults),
    openStdio: (own) => terminal.openStdio(merge(own)),
    serveLanguage: (own) => terminal.serveLanguage(merge(own)),
    openStore: (own) => terminal.openStore(merge(own)),
    settings: (own) => terminal.settings(merge(own)),
    clients: (own) => terminal.clients(merge(own)),
    commitHook: (own) => terminal.commitHook(merge(own)),
    consent: {
      place: (own) => terminal.consent.place(merge(own)),
      read: (own) => terminal.consent.read(merge(own)),
      save: (answer, own) => terminal.consent.save(answer, merge(own)),
    },
    saveSetting: (named, value, own) => terminal.saveSetting(named, value, merge(own)),
  };
  // Uses inheritance, because a copy would load everything that the terminal loads on demand.
  return Object.assign(Object.create(terminal) as Terminal, configured);
}
