import { WEBHOOK_ROTATION_HOURS } from '@berth/contract/values';
import type { CreatedWebhook, Webhook } from '@berth/client';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { useAction, type Action } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { useNow } from '../../parts/clock.ts';
import { copyText } from '../../parts/copy.ts';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Card } from '../../parts/surfaces.tsx';
import { Moment } from '../../parts/zone.tsx';
import { FormFailure } from '../../parts/form.tsx';
import { FormFoot } from '../../parts/dialog.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { languages, snippets, type Language } from './snippets.ts';

const page = pageTexts.webhook;
const words = page.signature;
const HOUR_MS = 3_600_000;

const Snippet = () => {
  const [language, setLanguage] = useState<Language>('node');
  const { code } = snippets[language];
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <Chips label={words.languages} values={languages} chosen={language} onChoose={setLanguage}>
          {(value) => snippets[value].name}
        </Chips>
        <Button className="ml-auto" icon={<Copy />} onClick={() => void copyText(code)}>
          {words.copy}
        </Button>
      </div>
      <pre className="code" tabIndex={0} role="group" aria-label={words.code}>
        {code}
      </pre>
    </>
  );
};

const Rotate = ({ webhook, isOpen, onClose }: { webhook: Webhook; isOpen: boolean; onClose: () => void }) => {
  const form = (onMade: (made: CreatedWebhook) => void, close: () => void) => (
    <RotateForm webhook={webhook} onMade={onMade} onClose={close} />
  );
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      before={{ title: words.rotateTitle, lead: words.rotateLead }}
      after={{
        title: words.rotated,
        lead: words.rotatedLead,
        label: pageTexts.webhooks.secret,
        done: pageTexts.webhooks.done,
      }}
      toSecret={({ secret }: CreatedWebhook) => secret}
    >
      {form}
    </SecretDialog>
  );
};

interface RotateFormProps {
  webhook: Webhook;
  onMade: (made: CreatedWebhook) => void;
  onClose: () => void;
}

const RotateForm = ({ webhook, onMade, onClose }: RotateFormProps) => {
  const { run, isRunning, error } = useAction({
    run: () => berth.webhooks.rotateSecret(webhook.id),
    touches: () => [keys.webhooks.all],
    onDone: onMade,
    isSilentOnError: true,
  });
  return (
    <form onSubmit={(event) => [event.preventDefault(), run(undefined)]}>
      <FormFailure error={error} fields={[]} />
      <FormFoot onClose={onClose} isBusy={isRunning}>
        {words.rotate}
      </FormFoot>
    </form>
  );
};

const SecretCard = ({ webhook }: { webhook: Webhook }) => {
  const [isRotating, setRotating] = useState(false);
  const now = useNow(HOUR_MS / 60);
  const rotatedAt = webhook.secret_rotated_at;
  const until = rotatedAt === null ? 0 : Date.parse(rotatedAt) + WEBHOOK_ROTATION_HOURS * HOUR_MS;
  return (
    <Card title={words.secretTitle}>
      <p className="mb-3 text-ink-2">
        {rotatedAt === null ? (
          words.neverRotated
        ) : (
          <>
            {words.rotatedAt} <Moment at={rotatedAt} />.{' '}
          </>
        )}
        {until > now ? (
          <>
            {words.both} <Moment at={new Date(until).toISOString()} />.
          </>
        ) : null}
      </p>
      <Button onClick={() => setRotating(true)}>{words.rotate}</Button>
      <Rotate webhook={webhook} isOpen={isRotating} onClose={() => setRotating(false)} />
    </Card>
  );
};

/** How a message is checked, its secret, and a test. */
export const SignatureTab = ({ webhook, test }: { webhook: Webhook; test: Action<void> }) => (
  <div className="signature-grid">
    <Card title={words.title}>
      <p className="mb-3 text-ink-2">
        {words.lead}{' '}
        <a className="link" href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
          {words.standard}
        </a>
        {', '}
        {words.standardEnd}
      </p>
      <Snippet />
      <h3 className="mt-4 mb-2 font-semibold">{words.rulesTitle}</h3>
      <ul className="passed-marks">
        {words.rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </Card>
    <div className="grid content-start gap-4">
      <SecretCard webhook={webhook} />
      <Card title={words.testTitle}>
        <p className="mb-3 text-ink-2">{words.testLead}</p>
        <Button
          whyNot={webhook.status === 'active' ? undefined : page.testWhyNot}
          isBusy={test.isRunning}
          onClick={() => test.run()}
        >
          {page.test}
        </Button>
      </Card>
    </div>
  </div>
);
