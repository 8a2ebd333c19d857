import type { Operation } from "../../pipeline/operation.ts";
import { tasksCloseStep } from "./tasks-close-step.ts";
import { tasksComplete } from "./tasks-complete.ts";
import { tasksContext } from "./tasks-context.ts";
import { tasksCreate } from "./tasks-create.ts";
import { tasksDecompose } from "./tasks-decompose.ts";
import { tasksDefine } from "./tasks-define.ts";
import { tasksDelta } from "./tasks-delta.ts";
import { tasksDone } from "./tasks-done.ts";
import { tasksEdit } from "./tasks-edit.ts";
import { tasksFocusClear } from "./tasks-focus-clear.ts";
import { tasksFocusGet } from "./tasks-focus-get.ts";
import { tasksFocusSet } from "./tasks-focus-set.ts";
import { tasksNote } from "./tasks-note.ts";
import { tasksRadar } from "./tasks-radar.ts";
import { tasksResumeSuper } from "./tasks-resume-super.ts";
import { tasksVerify } from "./tasks-verify.ts";

/** In the order in which help and docs show them. */
export const tasksOperations: readonly Operation[] = [
  tasksCreate,
  tasksDecompose,
  tasksDefine,
  tasksEdit,
  tasksNote,
  tasksVerify,
  tasksDone,
  tasksCloseStep,
  tasksComplete,
  tasksFocusSet,
  tasksFocusGet,
  tasksFocusClear,
  tasksRadar,
  tasksContext,
  tasksDelta,
  tasksResumeSuper,
];
