// @module-tag proxies
// @module-tag curl
// @module-tag openssl
/** Two servers behind nginx, as the guide says; when one is gone, work goes on. Caddy is in the slow tests. */
import { testTwoServers } from './two-servers.ts';

testTwoServers('nginx');
