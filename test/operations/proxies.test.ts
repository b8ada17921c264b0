// @module-tag proxies
// @module-tag curl
// @module-tag openssl
/** nginx in front of a real server, as the guides say. Caddy is in the slow tests. */
import { testProxy } from './proxies.ts';

testProxy('nginx');
