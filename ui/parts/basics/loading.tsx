/** Shows blocks that fade in if an answer takes longer than a moment. */
export const Loading = ({ what }: { what: string }) => (
  <div class="loading" role="status" aria-label={what} />
);
