/** Which cards a list is made of. A store answers it from its indexes. */
export type CardFilter = {
  types?: readonly string[] | undefined;
  /** Only open ones. */
  open?: boolean | undefined;
  pinned?: boolean | undefined;
  /** All of these. */
  tags?: readonly string[] | undefined;
  /** Whether drafts are shown. */
  drafts: boolean;
  /** Only what was last changed before this number. */
  before?: number | undefined;
  /** At most so many, the newest. */
  limit: number;
};
