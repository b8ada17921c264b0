// @module-tag proxies
// @module-tag curl
// @module-tag openssl
/** Caddy in front of one server and of two, as the guides say. */
import { testProxy } from './proxies.ts';
import { testTwoServers } from './two-servers.ts';

testProxy('caddy');
testTwoServers('caddy');
