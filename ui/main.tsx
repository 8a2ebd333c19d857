import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/graph.css";
import { render } from "preact";

const host = document.getElementById("app");
if (host) render(<main />, host);
