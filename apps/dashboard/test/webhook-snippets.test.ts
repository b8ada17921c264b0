/** The functions that the page of a webhook shows for receivers, run in those of their languages that are installed. */
import { spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it } from 'vitest';
import { snippets, type Language } from '../src/pages/webhook/snippets.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const old = `whsec_${randomBytes(32).toString('base64')}`;
const body = JSON.stringify({ id: 7, type: 'terminal.down', data: { name: 'Gold “grid” ⛵' } });

interface Message {
  body: string;
  headers: Record<string, string>;
}

const sign = (seconds: number, key = secret): Message => {
  const timestamp = Math.floor(Date.now() / 1000) + seconds;
  const signature = (one: string) =>
    `v1,${createHmac('sha256', Buffer.from(one.slice(6), 'base64'))
      .update(`msg_1.${timestamp}.${body}`)
      .digest('base64')}`;
  const signatures = `v1,${randomBytes(32).toString('base64')} ${signature(key)} ${signature(old)}`;
  return {
    body,
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signatures },
  };
};

/** A program with the client in it. */
const bundle = (contents: string): string =>
  buildSync({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  }).outputFiles[0]!.text;

interface Program {
  file: string;
  /** The path of the file follows. */
  run: string[];
  /** Where that is not all there is. */
  needs?: string[];
  /** JSON unless it says otherwise. */
  toInput?: (message: Message) => string;
  wrap: (code: string) => string;
}

/** Each reads a message from its input, and prints the type of what it received. Whatever is refused fails. */
const programs: Record<Language, Program> = {
  node: {
    file: 'receive.mjs',
    run: [process.execPath],
    wrap: (code) =>
      bundle(`${code}
import { readFileSync } from 'node:fs';
const message = JSON.parse(readFileSync(0, 'utf8'));
receive(message.body, message.headers).then((event) => console.log(event.type));`),
  },
  python: {
    file: 'receive.py',
    run: ['python3'],
    wrap: (code) =>
      `${code}
import sys
message = json.loads(sys.stdin.buffer.read())
print(receive(message["body"].encode(), message["headers"])["type"])`,
  },
  go: {
    file: 'receive.go',
    run: ['go', 'run'],
    wrap: (code) =>
      `${code.replace('package berth', 'package main').replace('import (', 'import (\n"encoding/json"\n"os"')}
func main() {
	var message struct { Body string; Headers map[string]string }
	if err := json.NewDecoder(os.Stdin).Decode(&message); err != nil { panic(err) }
	header := http.Header{}
	for name, value := range message.Headers { header.Set(name, value) }
	if err := Verify([]byte(message.Body), header, os.Getenv("WEBHOOK_SECRET")); err != nil { panic(err) }
	var event struct { Type string }
	if err := json.Unmarshal([]byte(message.Body), &event); err != nil { panic(err) }
	fmt.Println(event.Type)
}`,
  },
  php: {
    file: 'receive.php',
    run: ['php'],
    wrap: (code) =>
      `${code}
$message = json_decode(stream_get_contents(STDIN), true);
echo receive($message['body'], $message['headers'], getenv('WEBHOOK_SECRET'))['type'], "\\n";`,
  },
  csharp: {
    file: 'receive.cs',
    needs: ['mcs', 'mono'],
    run: ['sh', '-c', 'mcs -out:"$0.exe" "$0" >&2 && exec mono "$0.exe"'],
    // Nothing that reads JSON comes with it.
    toInput: ({ headers, body: text }) =>
      [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', text].join('\n'),
    wrap: (code) =>
      `${code}
static class Receiver
{
    static int Main()
    {
        var input = new System.IO.StreamReader(Console.OpenStandardInput());
        var headers = new System.Collections.Generic.Dictionary<string, string>();
        for (var line = input.ReadLine(); line != ""; line = input.ReadLine())
            headers[line.Substring(0, line.IndexOf(": "))] = line.Substring(line.IndexOf(": ") + 2);
        Func<string, string> find = name => headers.TryGetValue(name, out var value) ? value : null;
        if (!Berth.IsGenuine(input.ReadToEnd(), find, Environment.GetEnvironmentVariable("WEBHOOK_SECRET"))) return 1;
        Console.WriteLine("terminal.down");
        return 0;
    }
}`,
  },
};

const isInstalled = (program: string): boolean => spawnSync(program, ['--help']).error === undefined;

describe.each(Object.entries(programs))('in %s', (language, { file, run, needs, toInput, wrap }) => {
  const path = join(folder, file);
  const [program = '', ...args] = run;
  const receive = (message: Message) => {
    writeFileSync(path, wrap(snippets[language as Language].code));
    const env = { ...process.env, WEBHOOK_SECRET: secret };
    return spawnSync(program, [...args, path], { input: (toInput ?? JSON.stringify)(message), env, encoding: 'utf8' });
  };

  it.skipIf(!(needs ?? [program]).every(isInstalled))(
    'a message is believed, unless it was altered, is old, or is signed by another',
    () => {
      const good = sign(0);
      expect(receive(good)).toMatchObject({ status: 0, stdout: 'terminal.down\n' });
      // What the library of the standard takes for right is what they are compared with.
      expect(new Webhook(secret).verify(good.body, good.headers)).toMatchObject({ id: 7 });
      for (const bad of [
        { ...good, body: body.replace('down', 'up') },
        sign(-310),
        sign(400),
        sign(0, `whsec_${randomBytes(32).toString('base64')}`),
        { ...good, headers: { ...good.headers, 'webhook-signature': 'v1, v1 v2,x é' } },
      ])
        expect(receive(bad).status, JSON.stringify(bad)).not.toBe(0);
    },
  );
});
