/** What no page needs at first: its code is loaded when it is used, or by `preload`. */
import { lazy, Suspense, useState, type ComponentType } from 'react';

/** React delays what it has waited for by a third of a second, so whatever is there already is rendered without `lazy`. */
export const later = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  let loaded: ComponentType<Props> | undefined;
  const preload = async () => {
    loaded ??= await load();
    return { default: loaded };
  };
  const Lazy = lazy(preload) as unknown as ComponentType<Props>;
  const Later = (props: Props) => {
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? Lazy);
    return <Shown {...props} />;
  };
  return Object.assign(Later, { preload });
};

/** A dialog that is loaded when it is opened for the first time. It stays mounted, so that it can fade out. */
export const laterWhenOpen = <Props extends { isOpen: boolean }>(load: () => Promise<ComponentType<Props>>) => {
  const Later = later(load);
  const WhenOpen = (props: Props) => {
    const [wasOpen, setWasOpen] = useState(false);
    if (props.isOpen && !wasOpen) setWasOpen(true);
    return wasOpen || props.isOpen ? (
      <Suspense fallback={null}>
        <Later {...props} />
      </Suspense>
    ) : null;
  };
  return Object.assign(WhenOpen, { preload: Later.preload });
};
