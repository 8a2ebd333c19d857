import fc from "fast-check";
import { gateSeed } from "./run/soak.ts";

// The gate tries the same cases every time: what fails there was broken by the change. The soak tries others.
fc.configureGlobal({ seed: gateSeed });

export default fc;
