/** The input of a recall benchmark: sessions with thoughts, and questions with known answers. */
export type RecallSet = { name: string; conversations: readonly Conversation[] };

export type Conversation = {
  sessions: readonly RecallSession[];
  questions: readonly RecallQuestion[];
};

/** Keys come from the data and are unique within a set. */
export type RecallSession = {
  key: string;
  created: string;
  thoughts: readonly { key: string; text: string; at: string }[];
};

export type RecallQuestion = {
  text: string;
  category: string;
  /** Keys of the thoughts that contain the answer. The list is empty if only the session is known. */
  thoughts: readonly string[];
  sessions: readonly string[];
};
