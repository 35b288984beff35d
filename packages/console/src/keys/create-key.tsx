import type { Key } from '@quartermaster/client';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { gateway, rememberKey } from '../api/gateway.ts';
import { useRefresh } from '../api/use-refresh.ts';
import { Button } from '../shell/button.tsx';
import { CopyButton } from '../shell/copy-button.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Failure } from '../shell/problem.tsx';

/** A key that was made on this page, which alone knows its secret. */
export interface MadeKey {
  readonly secret: string;
  readonly id: string;
  /** Whether this page uses it from now on. */
  readonly isOwn: boolean;
}

/** Makes a key, and shows its secret once. */
export function CreateKey(props: {
  readonly isOpen: boolean;
  readonly isFirst: boolean;
  readonly onClose: () => void;
  readonly onMade: (key: MadeKey) => void;
}): ReactNode {
  const { isOpen, isFirst, onClose, onMade } = props;
  const refresh = useRefresh();
  const [secret, setSecret] = useState<string>();
  const create = useMutation({
    mutationFn: (body: NewKey) => gateway.request('POST /v1/keys', { body }),
    async onSuccess({ secret: made, key }) {
      setSecret(made);
      // The gateway is closed from now on: this page continues with the key that closed it.
      const isOwn = isFirst && key.role === 'admin';
      onMade({ secret: made, id: key.id, isOwn });
      if (isOwn) rememberKey(made);
      await refresh('keys');
    },
  });
  const close = (): void => {
    setSecret(undefined);
    create.reset();
    onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    create.mutate(readForm(new FormData(event.currentTarget)));
  };
  if (secret !== undefined) {
    return (
      <Dialog title="Copy the key now" isOpen={isOpen} onClose={close}>
        <p>Only its hash is stored, so it is shown this once.</p>
        <pre className="secret">{secret}</pre>
        <div className="actions">
          <CopyButton text={secret} />
          <Button look="primary" onClick={close}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a key" isOpen={isOpen} onClose={close}>
      <form className="stack" onSubmit={submit}>
        {isFirst ? (
          <p className="dim small">
            The first key closes the gateway to requests without one. Make it an admin key, so that you can go on here.
          </p>
        ) : null}
        <Field name="name" label="Name" placeholder="support-bot" />
        <label htmlFor="key-role">Role</label>
        <select id="key-role" name="role" className="select" defaultValue={isFirst ? 'admin' : 'consumer'}>
          <option value="consumer">consumer: uses models and catalogs</option>
          <option value="publisher">publisher: also uploads catalogs</option>
          <option value="admin">admin: also manages everything</option>
        </select>
        <Field name="models" label="Models, * for any text" value="*" />
        <Field name="catalogs" label="Catalogs, * for any text" value="*" />
        <div className="fields">
          <Field name="requests" label="Requests a minute" placeholder="no limit" type="number" />
          <Field name="searches" label="Searches a minute" placeholder="no limit" type="number" />
          <Field name="tokens" label="Tokens a day" placeholder="no limit" type="number" />
        </div>
        <Field name="expires" label="Expires" type="date" />
        <Failure error={create.error} />
        <div className="actions">
          <Button type="submit" look="primary" disabled={create.isPending}>
            Create key
          </Button>
          <Button look="ghost" onClick={close}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface NewKey {
  readonly name: string;
  readonly role: Key['role'];
  readonly models: readonly string[];
  readonly catalogs: readonly string[];
  readonly limits: Key['limits'];
  readonly expires_at?: string;
}

function Field(props: {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly type?: string;
}): ReactNode {
  const { name, label, value = '', placeholder, type = 'text' } = props;
  return (
    <div className="labelled">
      <label htmlFor={`key-${name}`}>{label}</label>
      <div className="field">
        <input
          id={`key-${name}`}
          name={name}
          type={type}
          min={type === 'number' ? 0 : undefined}
          defaultValue={value}
          placeholder={placeholder}
        />
      </div>
    </div>
  );
}

/** The fields of the form that are limits. */
const LIMIT_FIELDS = {
  requests: 'requestsPerMinute',
  searches: 'searchesPerMinute',
  tokens: 'tokensPerDay',
} as const;

function readForm(form: FormData): NewKey {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
  const patterns = (name: string): readonly string[] =>
    text(name)
      .split(/[\s,]+/)
      .filter((pattern) => pattern !== '');
  const limits = Object.entries(LIMIT_FIELDS).flatMap(([field, limit]) => {
    const value = Number(text(field));
    return text(field) === '' ? [] : [[limit, value] as const];
  });
  return {
    name: text('name'),
    role: text('role') as Key['role'],
    models: patterns('models'),
    catalogs: patterns('catalogs'),
    limits: Object.fromEntries(limits),
    ...(text('expires') === '' ? {} : { expires_at: `${text('expires')}T00:00:00Z` }),
  };
}
