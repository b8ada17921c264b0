/** The layout around a page: the navigation, the search, and the style sheet, which is a file of its own. */
import { escapeHtml } from './markdown.ts';
import type { Finding } from './search.ts';

export interface Shell {
  title: string;
  /** HTML of the index of all pages. */
  index: string;
  content: string;
  query?: string;
  /** The path of the public URL: '' at the root of a host. */
  prefix: string;
}

export const toPage = ({ title, index, content, query = '', prefix }: Shell): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Berth</title>
<link rel="icon" href="${prefix}/docs/images/images/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}/docs/page.css">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="name" href="${prefix}/docs">Berth</a>
<form action="${prefix}/docs/search" role="search">
<input type="search" name="q" value="${escapeHtml(query)}" maxlength="100" aria-label="Search the pages" placeholder="Search">
<button>Search</button>
</form>
<a href="${prefix}/docs/api">Try the API</a>
<a href="${prefix}/">Dashboard</a>
</header>
<nav aria-label="All pages">${index}</nav>
<main id="content">${content}</main>
</body>
</html>
`;

export const toFindings = (query: string, findings: readonly Finding[]): string => {
  const heading = `<h1>${findings.length === 0 ? 'Nothing found' : 'Found'} for “${escapeHtml(query)}”</h1>`;
  if (findings.length === 0)
    return `${heading}<p>Try fewer or other words. A code such as E_SYMBOL is a word, too.</p>`;
  const items = findings.map(
    ({ address, page, heading: part, excerpt }) =>
      `<li><a href="${escapeHtml(address)}">${escapeHtml(part === page ? page : `${page}: ${part}`)}</a><p>${escapeHtml(excerpt)}</p></li>`,
  );
  return `${heading}<ul class="found">${items.join('\n')}</ul>`;
};

export const STYLE = `:root{color-scheme:light dark;--paper:#fbfaf7;--ink:#1d2733;--soft:#5b6875;--line:#dcd8ce;--link:#0b5cad;--code:#f1eee7}
@media(prefers-color-scheme:dark){:root{--paper:#11161d;--ink:#e3e8ee;--soft:#9aa7b5;--line:#2b3541;--link:#7db8f5;--code:#1a222c}}
*{box-sizing:border-box}html{scroll-padding-top:4.5rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 ui-sans-serif,system-ui,sans-serif;display:grid;
grid-template-columns:17rem minmax(0,1fr);grid-template-areas:"head head" "nav main"}
header{grid-area:head;position:sticky;top:0;display:flex;gap:1rem;align-items:center;padding:.7rem 1.5rem;background:var(--paper);
border-bottom:1px solid var(--line)}
.name{font-weight:700;color:inherit;text-decoration:none;font-size:1.1rem}form{display:flex;gap:.5rem;flex:1;max-width:32rem}
input,button{font:inherit;padding:.3rem .7rem;border:1px solid var(--line);border-radius:6px;background:var(--code);color:inherit}
input{flex:1;min-width:0}nav{grid-area:nav;padding:1.5rem;font-size:.92rem;border-right:1px solid var(--line)}
nav h1{display:none}nav h2{font-size:.8rem;margin:1.2rem 0 .3rem;color:var(--soft)}nav ul{list-style:none;margin:0;padding:0}
header a,nav a,.found a{display:inline-block;min-height:24px;min-width:24px}nav p{display:none}main{grid-area:main;padding:1.5rem 2.5rem 4rem;max-width:60rem}
a{color:var(--link)}a:focus-visible,input:focus-visible,button:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--link);outline-offset:2px}
h1{font-size:1.9rem;line-height:1.2;margin:.3rem 0 1rem}h2{margin-top:2.4rem;line-height:1.3}h3{margin-top:1.8rem}
code{font:.9em ui-monospace,monospace;background:var(--code);padding:.1em .3em;border-radius:4px}
pre{background:var(--code);border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;overflow:auto;line-height:1.45}
pre code{background:none;padding:0}.table{overflow-x:auto}table{border-collapse:collapse;font-size:.94rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .8rem .45rem 0;border-bottom:1px solid var(--line)}
img{max-width:100%;height:auto}blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
.found{list-style:none;padding:0}.found p{margin:.1rem 0 1.1rem;color:var(--soft)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.4rem;z-index:1}
@media(max-width:56rem){body{grid-template-columns:minmax(0,1fr);grid-template-areas:"head" "main" "nav"}
header{flex-wrap:wrap;position:static}main{padding:1rem 1.2rem}nav{border:0;border-top:1px solid var(--line)}}
`;
