/** A branching line of thought; carried along, so that no client has to fetch it. */
const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#6366f1" stroke-width="2"><path d="M6 5v14M6 12h6a6 6 0 0 0 6-5"/><circle cx="6" cy="4" r="2"/><circle cx="6" cy="20" r="2"/><circle cx="18" cy="5" r="2"/></svg>';

export const serverIcons = [
  {
    src: `data:image/svg+xml;base64,${Buffer.from(drawing).toString("base64")}`,
    mimeType: "image/svg+xml",
    sizes: ["any"],
  },
];
