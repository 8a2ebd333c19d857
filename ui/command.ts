/** One thing that can be done, by key, by palette, or by both. */
export type Command = {
  id: string;
  /** As the palette says it; without words it is only a key. */
  words?: string;
  icon?: string;
  isOffered?: () => boolean;
  run: () => void;
};

/** What commands need that only the page can do. */
export type Hands = {
  copyLink: () => void;
  copyThought: () => void;
  copyJson: () => void;
  copyMermaid: () => void;
  copyVerify: () => void;
  saveHtml: () => void;
  savePng: () => void;
  focusSearch: () => void;
  /** Puts the focus on the filters of the sessions. They are in a sheet if the page is narrow. */
  focusFilters: () => void;
  /** The next letter typed is a type. */
  awaitType: () => void;
  /** Moves the focus to the next row of a list, or to the one before. */
  moveRow: (step: 1 | -1) => void;
  /** The same from one column of a board to another. */
  moveColumn: (step: 1 | -1) => void;
};
