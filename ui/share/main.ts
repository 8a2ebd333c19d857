import "../styles/tokens.css";
import "../styles/graph.css";
