import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/graph.css";
import "../styles/session.css";
import "../styles/panels.css";
import "../styles/sessions.css";
import { startShare } from "./start.tsx";

startShare();
