import type { Operation } from "../../pipeline/operation.ts";
import { tasksFocusClear } from "./focus/tasks-focus-clear.ts";
import { tasksFocusSet } from "./focus/tasks-focus-set.ts";
import { tasksCloseStep } from "./steps/tasks-close-step.ts";
import { tasksDecompose } from "./steps/tasks-decompose.ts";
import { tasksDefine } from "./steps/tasks-define.ts";
import { tasksDone } from "./steps/tasks-done.ts";
import { tasksVerify } from "./steps/tasks-verify.ts";
import { tasksCreate } from "./tasks.ts";
import { tasksComplete } from "./tasks-complete.ts";
import { tasksContext } from "./tasks-context.ts";
import { tasksDelta } from "./tasks-delta.ts";
import { tasksEdit } from "./tasks-edit.ts";
import { tasksFocusGet } from "./tasks-focus.ts";
import { tasksNote } from "./tasks-note.ts";
import { tasksRadar } from "./tasks-radar.ts";
import { tasksResumeSuper } from "./tasks-resume-super.ts";

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
