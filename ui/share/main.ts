import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/shell.css";
import "../styles/rail.css";
import "../styles/notices.css";
import "../styles/narrow.css";
import "../styles/graph.css";
import "../styles/session.css";
import "../styles/timeline.css";
import "../styles/outline.css";
import "../styles/detail.css";
import "../styles/remarks.css";
import "../styles/dialogs.css";
import "../styles/sessions.css";
import "../styles/first-run.css";
import "../styles/compare.css";
import { startShare } from "./start.tsx";

startShare();
