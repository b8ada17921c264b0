/** Has the place that the content will have, so that nothing jumps. Sizes are classes of Tailwind: `h-4 w-40`. */
export const Skeleton = ({ className }: { className: string }) => (
  <div className={`skeleton ${className}`} aria-hidden="true" />
);
