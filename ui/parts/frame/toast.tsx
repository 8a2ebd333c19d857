import { Banner } from "../basics/banner.tsx";
import { useObservatory } from "../basics/context.ts";

/** Shows one sentence about what just happened. */
export function Toaster() {
  const { toast } = useObservatory();
  const now = toast.value;
  return (
    <div class="toasts" aria-live="polite">
      {now && (
        <Banner title={now.title} good={now.good ?? false}>
          {now.words}
        </Banner>
      )}
    </div>
  );
}
