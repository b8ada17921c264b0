/** Reserves the space of the content, so that nothing jumps. Sizes are Tailwind classes: `h-4 w-40`. */
export const Skeleton = ({ className }: { className: string }) => (
  <div className={`skeleton ${className}`} aria-hidden="true" />
);
