/** Sessions of thoughts and questions whose answers are known: what a recall benchmark asks. */
export type RecallSet = { name: string; conversations: readonly Conversation[] };

export type Conversation = {
  sessions: readonly RecallSession[];
  questions: readonly RecallQuestion[];
};

/** Keys are the data's own and unique within a set. */
export type RecallSession = {
  key: string;
  created: string;
  thoughts: readonly { key: string; text: string; at: string }[];
};

export type RecallQuestion = {
  text: string;
  category: string;
  /** Keys of the thoughts that hold the answer; empty where only the session is known. */
  thoughts: readonly string[];
  sessions: readonly string[];
};
