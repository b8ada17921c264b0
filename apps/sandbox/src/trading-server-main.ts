import { ConfigError, EnvReader } from '@berth/kit';
import { startTradingServer } from './trading-server/trading-server.ts';

const readOptions = () => {
  const env = new EnvReader(process.env);
  const dataFolder = env.text('BERTH_SANDBOX_DATA');
  const networkFile = env.text('BERTH_SANDBOX_NETWORK');
  const port = env.integer('BERTH_SANDBOX_PORT', { fallback: 0, min: 0, max: 65_535 });
  if (!dataFolder) env.reject('BERTH_SANDBOX_DATA', 'must name the folder of the accounts');
  if (!networkFile) env.reject('BERTH_SANDBOX_NETWORK', 'must name the file for the address');
  env.finish();
  return { dataFolder: dataFolder ?? '', networkFile: networkFile ?? '', port: port || undefined };
};

try {
  const server = await startTradingServer(readOptions());
  const stop = (): void => void server.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // The parent is gone: a trading server must not outlive it.
  process.once('disconnect', stop);
  // It may have ended before we listened for that.
  if (process.send && !process.connected) stop();
  if (process.send) process.send({ ready: true, address: server.address });
  else process.stdout.write(`The sandbox broker listens at ${server.address}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
}
