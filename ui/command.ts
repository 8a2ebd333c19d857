/** An action that the user can run with a key, from the palette, or both. */
export type Command = {
  id: string;
  /** The label in the palette. Commands without a label only have a key. */
  words?: string;
  icon?: string;
  isOffered?: () => boolean;
  run: () => void;
};

/** Actions that commands need and only the page can perform. */
export type Hands = {
  copyLink: () => void;
  copyThought: () => void;
  copyJson: () => void;
  copyMermaid: () => void;
  copyVerify: () => void;
  saveHtml: () => void;
  savePng: () => void;
  focusSearch: () => void;
  /** Focuses the session filters. On narrow screens, the filters are in a sheet. */
  focusFilters: () => void;
  /** Reads the next letter typed as a thought type. */
  awaitType: () => void;
  /** Moves the focus to the next or previous row of a list. */
  moveRow: (step: 1 | -1) => void;
  /** Moves the focus to the next or previous search hit in a list. After the last hit, moves to the first. */
  moveHit: (step: 1 | -1) => void;
  /** Moves the focus to the next or previous column of a board. */
  moveColumn: (step: 1 | -1) => void;
  /** Opens the first task of a board, unless one is open. */
  openFirstTask: () => void;
};
