/** Whether a cut here would part the two halves of one character. */
export function isContinued(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}

/** The nearest place at or before `at` where a text can be cut without parting a character. */
export const safeCut = (text: string, at: number): number => (isContinued(text, at) ? at - 1 : at);
