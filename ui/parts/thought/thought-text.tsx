import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { formatSize } from "../../text/count-words.ts";
import { highlight } from "../../text/highlight.ts";
import type { Inline } from "../../text/inline.ts";
import { type Block, type ListItem, parseMarkdown } from "../../text/markdown.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { CellLink } from "./cell-link.tsx";

const FIRST_PART = 20_000;

/** Shows a thought as Markdown. Each token becomes an element, so its text can never become markup. */
export function ThoughtText({
  text,
  plain = false,
  onWhole,
  length = text.length,
}: {
  text: string;
  /** Whether to show every character as written. */
  plain?: boolean;
  /** The length of the whole text, if `text` is only its beginning. */
  length?: number;
  /** Fetches the rest of a text that the server shortened. */
  onWhole?: (() => void) | undefined;
}) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? text : text.slice(0, FIRST_PART);
  const blocks = useMemo(() => (plain ? [] : parseMarkdown(shown)), [plain, shown]);
  const showAll = () => {
    setWhole(true);
    if (text.length < length) onWhole?.();
  };
  return (
    <div class="md">
      {plain && (
        <pre class="raw">
          <PlainText text={shown} />
        </pre>
      )}
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
      {shown.length < length && (
        <button type="button" class="btn" onClick={showAll}>
          Show all {formatSize(length)}
        </button>
      )}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "paragraph":
      return <p>{inline(block.inner)}</p>;
    case "heading":
      return <p class="mdh">{inline(block.inner)}</p>;
    case "rule":
      return <hr />;
    case "quote":
      return (
        <blockquote>
          {block.blocks.map((inner, at) => (
            <BlockView key={at} block={inner} />
          ))}
        </blockquote>
      );
    case "code":
      return <Code language={block.language} text={block.text} />;
    case "list":
      return block.ordered ? (
        <ol start={block.start}>{items(block.items)}</ol>
      ) : (
        <ul>{items(block.items)}</ul>
      );
    case "table":
      return <Table {...block} />;
  }
}

const items = (list: readonly ListItem[]) =>
  list.map((item, at) => (
    <li key={at} value={item.value}>
      {inline(item.inner)}
      {item.below.map((block, below) => (
        <BlockView key={below} block={block} />
      ))}
    </li>
  ));

/** Shows a table. The page's policy forbids styles in markup, so the alignment is a class. */
const Table = ({ head, rows, align }: Extract<Block, { kind: "table" }>) => (
  <div class="mdt" tabIndex={0} role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          {head.map((cell, at) => (
            <th key={at} class={align[at]}>
              {inline(cell)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, at) => (
              <td key={at} class={align[at]}>
                {inline(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Code = ({ language, text }: { language: string; text: string }) => (
  <pre tabIndex={0} role="group" aria-label="Code">
    {highlight(text, language).map((token, at) => (
      <span key={at} class={token.kind}>
        <PlainText text={token.text} />
      </span>
    ))}
  </pre>
);

const inline = (nodes: readonly Inline[]): JSX.Element[] =>
  nodes.map((node, at) => <InlineView key={at} node={node} />);

function InlineView({ node }: { node: Inline }) {
  switch (node.kind) {
    case "text":
      return <PlainText text={node.text} />;
    case "code":
      return (
        <code>
          <PlainText text={node.text} />
        </code>
      );
    case "strong":
      return <strong>{inline(node.inner)}</strong>;
    case "emphasis":
      return <em>{inline(node.inner)}</em>;
    case "struck":
      return <del>{inline(node.inner)}</del>;
    case "break":
      return <br />;
    case "link":
      return <Link href={node.href} inner={node.inner} />;
  }
}

const Link = ({ href, inner }: { href: string; inner: Inline[] }) =>
  href.startsWith("#/n/") ? (
    <CellLink href={href}>{inline(inner)}</CellLink>
  ) : href.startsWith("#") ? (
    <a href={href}>{inline(inner)}</a>
  ) : (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer">
      {inline(inner)}
    </a>
  );
