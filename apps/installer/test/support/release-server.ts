/** The installer as it was built, and a server that has small agents of any version in its place. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toSha256 } from './machine.ts';

const installer = join(import.meta.dirname, '../..');
export const script = readFileSync(join(installer, 'dist/host.sh'), 'utf8');
export const archive = readFileSync(join(installer, 'dist/berth-agent.tar.gz'));
export const [, release = ''] = /^RELEASE='(.+)'$/m.exec(script) ?? [];

export class ReleaseServer {
  readonly #http: Server = createServer((_request, response) => response.end(this.#agent));
  #agent: Buffer = archive;

  /** @returns its address */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#http.close();
  }

  /** Has an agent of this version from now on, which is its file `version`. @returns the script for it */
  make(version: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'berth-release-'));
    mkdirSync(join(folder, 'agent'));
    cpSync(join(installer, 'src/berth-agent.service'), join(folder, 'agent/berth-agent.service'));
    writeFileSync(join(folder, 'agent/version'), version);
    this.#agent = execFileSync('tar', ['-cz', '-C', folder, 'agent']);
    rmSync(folder, { recursive: true });
    return script.replace(release, version).replace(toSha256(archive), toSha256(this.#agent));
  }
}
