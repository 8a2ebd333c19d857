// Runs one cell in its own process. Thoughtbox passes this text to `node --eval` inside the sandbox, sends the program
// on standard input, and reads the results from descriptor 3. It runs on every supported Node and imports only Node's
// own modules.
import { readFileSync, writeSync } from "node:fs";
import { inspect } from "node:util";
import vm from "node:vm";

const reportTo = 3;
const longestValue = 64 * 1024;
const mostDisplays = 20;
const longestDisplay = 512 * 1024;
const mimes = ["text/plain", "text/markdown", "text/html", "image/png", "image/svg+xml", "application/json"];

/** `{ directory, entry, modules: { [filename]: { code, mappings } or { failure } } }`, without CommonJS. */
const program = JSON.parse(readFileSync(0, "utf8"));
const base = `file://${program.directory}/`;

/** The cell that a URL in a stack trace belongs to. */
function nameOf(url) {
  const name = url.startsWith(base) ? url.slice(base.length) : "";
  return Object.hasOwn(program.modules, name) ? name : undefined;
}

/** `kind` is value, error, or the MIME type of a display. */
function report(kind, text) {
  const body = Buffer.from(text);
  let rest = Buffer.concat([Buffer.from(`${kind} ${body.length}\n`), body]);
  while (rest.length > 0) rest = rest.subarray(writeSync(reportTo, rest));
}

// One stream keeps all output in the order it was printed.
Object.defineProperty(process, "stderr", { configurable: true, get: () => process.stdout });

// Stack traces -------------------------------------------------------------------------------------------------------

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The lines of a source map. Each has its segments `[column, source line, source column]`. */
function decodeMappings(mappings) {
  let line = 0;
  let column = 0;
  return mappings.split(";").map((text) => {
    let generated = 0;
    return text.split(",").flatMap((segment) => {
      const fields = [];
      let value = 0;
      let shift = 0;
      for (const character of segment) {
        const digit = digits.indexOf(character);
        value |= (digit & 31) << shift;
        shift += 5;
        if (digit & 32) continue;
        fields.push(value & 1 ? -(value >>> 1) : value >>> 1);
        value = 0;
        shift = 0;
      }
      if (fields.length < 4) return [];
      generated += fields[0];
      line += fields[2];
      column += fields[3];
      return [[generated, line, column]];
    });
  });
}

const decoded = new Map();

function sourcePosition(name, line, column) {
  if (!decoded.has(name)) decoded.set(name, decodeMappings(program.modules[name].mappings));
  const segment = decoded.get(name)[line - 1]?.findLast(([start]) => start <= column - 1);
  return segment ? { line: segment[1] + 1, column: segment[2] + 1 } : { line, column };
}

/** Describes a cell's stack frame with its own line number and without the directory. Skips frames in this file. */
function describeFrame(frame) {
  const text = frame.toString();
  const url = frame.getFileName() ?? frame.getEvalOrigin?.() ?? "";
  const name = nameOf(url);
  if (name === undefined)
    return /\[eval\d*\]|node:internal|node:vm/.test(text) ? [] : [text.replaceAll(base, "")];
  const [line, column] = [frame.getLineNumber() ?? 0, frame.getColumnNumber() ?? 0];
  const source = sourcePosition(name, line, column);
  return [text.replace(`${url}:${line}:${column}`, `${name}:${source.line}:${source.column}`)];
}

Error.prepareStackTrace = (error, frames) => {
  let head;
  try {
    head = Error.prototype.toString.call(error);
  } catch {
    head = "Error";
  }
  return [head, ...frames.flatMap(describeFrame).map((frame) => `    at ${frame}`)].join("\n");
};

// Displays -----------------------------------------------------------------------------------------------------------

let displays = 0;

globalThis.display = function display(shown) {
  const { mime, data } = shown ?? {};
  if (!mimes.includes(mime))
    throw new TypeError(`display() takes { mime, data } with mime one of ${mimes.join(", ")}.`);
  if (displays >= mostDisplays) throw new RangeError(`A cell displays at most ${mostDisplays} things.`);
  let text;
  if (mime === "application/json") text = JSON.stringify(data);
  else if (mime === "image/png" && data instanceof Uint8Array) text = Buffer.from(data).toString("base64");
  else text = data;
  if (typeof text !== "string")
    throw new TypeError(`The data of ${mime} must be ${mime === "image/png" ? "bytes or base64" : "text"}.`);
  if (text.length > longestDisplay)
    throw new RangeError(`A display has at most ${longestDisplay} characters.`);
  displays += 1;
  report(mime, text);
};

/** Text, grid and series on light and on dark pages. */
const plotLooks = {
  light: ["#59616d", "#cbd1d8", "#2f55c9", "#a25f00", "#c2371f", "#16745f", "#7a3fd1", "#3b6ea8"],
  dark: ["#a9b0bb", "#323842", "#7b97f2", "#efb118", "#ff8a73", "#5fd0b5", "#b98bf5", "#97bbf5"],
};
const colours = plotLooks.light.slice(2);
const lookOf = (name) => plotLooks[name].map((colour, at) => `--p${at}:${colour}`).join(";");
/** One picture for both: as the system prefers, unless the page that shows it sets `data-theme`. */
const plotStyle = `<style>svg{${lookOf("light")}}@media(prefers-color-scheme:dark){svg{${lookOf("dark")}}}svg[data-theme=light]{${lookOf("light")}}svg[data-theme=dark]{${lookOf("dark")}}text:not([class]){fill:var(--p0)}.g{stroke:var(--p1)}${colours.map((_, at) => `.s${at}{stroke:var(--p${at + 2})}.f${at}{fill:var(--p${at + 2})}`).join("")}</style>`;
const plotKinds = ["lines", "bars", "points"];
const mostPoints = 5_000;
const escapeXml = (text) =>
  String(text)
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/[^\P{C}\n]/gu, " ");
const shortNumber = (value) => String(Number(value.toPrecision(4)));

/** About five round numbers between two ends: multiples of 1, 2 or 5 times a power of ten. */
function roundTicks(low, high) {
  const part = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(part));
  const step = power * (part > 5 * power ? 10 : part > 2 * power ? 5 : part > power ? 2 : 1);
  const first = Math.ceil(low / step);
  // More than eight means that the numbers are too large for their differences.
  const length = Math.min(8, Math.floor(high / step) - first + 1);
  return Array.from({ length }, (_, at) => (first + at) * step).filter(Number.isFinite);
}

/** Accepts numbers or `[x, y]` pairs. x is a number, or a label that bars and points share. */
function readSeries(data) {
  const named = Array.isArray(data) ? { "": data } : data;
  if (typeof named !== "object" || named === null)
    throw new TypeError("plot() takes numbers, [x, y] pairs, or an object of such lists.");
  const labels = [];
  const placeOf = (x) => {
    if (typeof x === "number") return x;
    const label = String(x);
    if (!labels.includes(label)) labels.push(label);
    return labels.indexOf(label);
  };
  let total = 0;
  const series = Object.entries(named).map(([name, list]) => {
    if (!Array.isArray(list)) throw new TypeError("A series of plot() is a list of numbers or [x, y] pairs.");
    total += list.length;
    if (total > mostPoints) throw new RangeError(`A plot has at most ${mostPoints} points.`);
    const points = list.map((one, at) =>
      Array.isArray(one) ? [placeOf(one[0]), Number(one[1])] : [at, Number(one)],
    );
    if (!points.flat().every(Number.isFinite)) throw new TypeError("plot() takes finite numbers.");
    return { name, points };
  });
  if (total === 0) throw new TypeError("plot() needs at least one point.");
  return { series, labels };
}

/** What a plot shows, for those who cannot see it. */
function describePlot(kind, title, series, labels) {
  const nameX = (x) => labels[x] ?? shortNumber(x);
  const parts = series.slice(0, 4).map(({ name, points }) => {
    if (points.length === 0) return `${name}: no points`;
    const by = (better) => points.reduce((best, point) => (better(point[1], best[1]) ? point : best));
    const [low, high] = [by((a, b) => a < b), by((a, b) => a > b)];
    const words = `lowest ${shortNumber(low[1])} at ${nameX(low[0])}, highest ${shortNumber(high[1])} at ${nameX(high[0])}`;
    return `${name === "" ? "" : `${name}: `}${points.length} ${points.length === 1 ? "point" : "points"}, ${words}`;
  });
  const rest = series.length > 4 ? [`${series.length - 4} more series`] : [];
  return [title || `Plot of ${kind}`, ...parts, ...rest].join(". ");
}

/**
 * Draws lines, bars or points and returns an SVG for display(). `alt` is the text alternative. By default, it is
 * generated from the title and the data.
 */
globalThis.plot = function plot(
  data,
  { kind = "lines", title = "", alt = "", width = 640, height = 320 } = {},
) {
  if (!plotKinds.includes(kind)) throw new TypeError(`The kind of a plot is one of ${plotKinds.join(", ")}.`);
  const [w, h] = [width, height].map((size) =>
    Math.min(2_000, Math.max(120, Math.round(Number(size)) || 320)),
  );
  const { series, labels } = readSeries(data);
  const all = series.flatMap(({ points }) => points);
  const range = (at, zero) => {
    const values = all.map((point) => point[at]);
    const low = values.reduce((a, b) => Math.min(a, b), zero ? 0 : Infinity);
    const high = values.reduce((a, b) => Math.max(a, b), zero ? 0 : -Infinity);
    return low === high ? [low - 1, high + 1] : [low, high];
  };
  const pad = kind === "bars" ? 0.5 : 0;
  const [x0, x1] = range(0, false).map((end, at) => end + (at === 0 ? -pad : pad));
  const [low, high] = range(1, kind === "bars");
  const lines = roundTicks(low, high);
  const step = lines.length > 1 ? lines[1] - lines[0] : 0;
  const y0 = lines[0] > low ? lines[0] - step : low;
  const y1 = lines.at(-1) < high ? lines.at(-1) + step : high;
  const box = { left: 56, right: w - 12, top: title === "" && series.length < 2 ? 12 : 36, bottom: h - 28 };
  const toX = (x) => Number((box.left + ((x - x0) / (x1 - x0)) * (box.right - box.left)).toFixed(1));
  const toY = (y) => Number((box.bottom - ((y - y0) / (y1 - y0)) * (box.bottom - box.top)).toFixed(1));
  const text = (x, y, words, more = "") => `<text x="${x}" y="${y}" ${more}>${escapeXml(words)}</text>`;
  const parts = [];
  for (const y of [y0, ...lines, y1].filter((y, at, all) => y !== all[at - 1])) {
    parts.push(`<path d="M${box.left} ${toY(y)}H${box.right}" class="g" stroke="#8884"/>`);
    parts.push(text(box.left - 6, toY(y) + 4, shortNumber(y), 'text-anchor="end"'));
  }
  const ticks =
    labels.length > 0
      ? labels.map((label, at) => [at, label])
      : roundTicks(x0, x1).map((x) => [x, shortNumber(x)]);
  const every = Math.ceil(ticks.length / 12);
  for (const [x, label] of ticks.filter((_, at) => at % every === 0))
    parts.push(text(toX(x), box.bottom + 18, label.slice(0, 16), 'text-anchor="middle"'));
  const places = new Set(all.map(([x]) => x)).size;
  const barWidth = Math.max(1, ((box.right - box.left) / Math.max(places, x1 - x0)) * 0.8) / series.length;
  for (const [at, { name, points }] of series.entries()) {
    const number = at % colours.length;
    const colour = colours[number];
    if (kind === "lines")
      parts.push(
        `<path class="s${number}" fill="none" stroke="${colour}" stroke-width="2" d="M${points.map(([x, y]) => `${toX(x)} ${toY(y)}`).join("L")}"/>`,
      );
    for (const [x, y] of kind === "lines" ? [] : points) {
      if (kind === "points")
        parts.push(`<circle class="f${number}" cx="${toX(x)}" cy="${toY(y)}" r="3" fill="${colour}"/>`);
      else {
        const left = toX(x) + (at - series.length / 2) * barWidth;
        const [top, bottom] = [Math.min(toY(y), toY(0)), Math.max(toY(y), toY(0))];
        parts.push(
          `<rect class="f${number}" x="${left.toFixed(1)}" y="${top}" width="${barWidth.toFixed(1)}" height="${(bottom - top).toFixed(1)}" fill="${colour}"/>`,
        );
      }
    }
    if (series.length > 1)
      parts.push(
        text(
          box.right - 110 * (series.length - 1 - at),
          18,
          name.slice(0, 16),
          `class="f${number}" text-anchor="end" font-weight="600"`,
        ),
      );
  }
  if (title !== "") parts.push(text(box.left, 18, String(title).slice(0, 80), 'font-weight="600"'));
  const label = escapeXml(String(alt || describePlot(kind, title, series, labels)).slice(0, 500));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" aria-label="${label}" font-family="sans-serif" font-size="12" fill="#777">${plotStyle}${parts.join("")}</svg>`;
};

/** An array of flat objects. JSON loses nothing of it, and the Observatory draws it as a table. */
const isTable = (value) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (row) =>
      row !== null &&
      typeof row === "object" &&
      Object.getPrototypeOf(row) === Object.prototype &&
      Object.values(row).every(
        (one) => one === null || ["string", "boolean"].includes(typeof one) || Number.isFinite(one),
      ),
  );

function showValue(value) {
  if (value === undefined) return;
  const json = isTable(value) ? JSON.stringify(value) : "";
  const text =
    json !== "" && json.length <= longestValue
      ? json
      : inspect(value, { depth: 4, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 100 });
  report("value", text.slice(0, longestValue));
}

function describeThrown(thrown) {
  const text = thrown instanceof Error ? inspect(thrown) : `Uncaught ${inspect(thrown)}`;
  return text.slice(0, longestValue);
}

function fail(thrown) {
  report("error", describeThrown(thrown));
  process.exit(1);
}

process.on("uncaughtException", (thrown) => {
  if (process.listenerCount("uncaughtException") === 1) fail(thrown);
});

// Modules ------------------------------------------------------------------------------------------------------------

const cells = new Map();
const foreign = new Map();

/** As in TypeScript, `./add.js` also finds `add.ts`, and `./add` finds either. */
function cellNamed(specifier) {
  if (!specifier.startsWith("./")) return undefined;
  const name = specifier.slice(2);
  const alike = [
    name,
    name.replace(/\.(m?)js$/, ".$1ts"),
    name.replace(/\.(m?)ts$/, ".$1js"),
    `${name}.ts`,
    `${name}.js`,
  ];
  return alike.find((one) => Object.hasOwn(program.modules, one));
}

function cellModule(name) {
  const { failure } = program.modules[name];
  if (failure) throw new SyntaxError(failure.replace(/^SyntaxError: /, ""));
  if (!cells.has(name)) {
    cells.set(
      name,
      new vm.SourceTextModule(program.modules[name].code, {
        identifier: base + name,
        importModuleDynamically: async (specifier, _referrer, attributes) => {
          const module = await resolve(specifier, attributes);
          if (module.status === "unlinked") await module.link(link);
          if (module.status !== "evaluated") await module.evaluate();
          return module;
        },
        initializeImportMeta: (meta) => {
          meta.url = base + name;
          meta.filename = `${program.directory}/${name}`;
          meta.dirname = program.directory;
          meta.resolve = (specifier) => import.meta.resolve(specifier);
          if (name === program.entry) meta.thoughtboxValue = showValue;
        },
      }),
    );
  }
  return cells.get(name);
}

const isPackage = (specifier) => !/^(?:[./#]|[a-z]+:)/i.test(specifier);

/** Node searches for a missing package outside the notebook, where access is denied. This reports it as missing. */
const missingPackage = (name) =>
  Object.assign(new Error(`Cannot find package '${name}'`), { code: "ERR_MODULE_NOT_FOUND" });

async function foreignModule(specifier, attributes) {
  const key = `${specifier} ${attributes?.type ?? ""}`;
  if (!foreign.has(key)) {
    const namespace = await import(
      specifier,
      attributes?.type ? { with: { type: attributes.type } } : undefined
    ).catch((thrown) => {
      throw isPackage(specifier) && thrown?.code === "ERR_ACCESS_DENIED" ? missingPackage(specifier) : thrown;
    });
    const names = Object.keys(namespace);
    const module = new vm.SyntheticModule(
      names,
      () => {
        for (const name of names) module.setExport(name, namespace[name]);
      },
      { identifier: specifier },
    );
    foreign.set(key, module);
  }
  return foreign.get(key);
}

async function resolve(specifier, attributes) {
  const name = cellNamed(specifier);
  return name === undefined ? foreignModule(specifier, attributes) : cellModule(name);
}

// Node 20 passes the attributes as `assert`.
const link = (specifier, _referrer, extra) => resolve(specifier, extra?.attributes ?? extra?.assert);

try {
  const entry = await resolve(`./${program.entry}`);
  await entry.link(link);
  await entry.evaluate();
} catch (thrown) {
  fail(thrown);
}
