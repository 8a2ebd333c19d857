import { clip, visible } from "../kernel/text.ts";

const maxLength = 300;

/** The SDK's errors quote what a client sent, raw and at any length; a log gets one short line that shows it all. */
export function briefErrors(onError: (error: Error) => void): (error: Error) => void {
  return (error) => {
    const { message } = error;
    const brief = visible(clip(message, maxLength)) + (message.length > maxLength ? "…" : "");
    onError(new Error(brief, { cause: error }));
  };
}
