/** Renders our own Markdown to HTML that needs neither scripts nor inline styles. */
import { Marked, type Tokens } from 'marked';

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

/** The anchor of a heading, as GitHub generates it. `Codes of failed steps` → `codes-of-failed-steps` */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

export interface RenderedPage {
  title: string;
  html: string;
  /** The text below each heading, as plain text, for the search. */
  sections: { heading: string; anchor: string; text: string }[];
}

/** The text without Markdown markup. */
const toPlain = (text: string): string =>
  text
    .replace(/<!--[^]*?-->|^ *```\w*$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|#>]+|^[-=:| ]+$/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const toSections = (markdown: string): RenderedPage['sections'] =>
  markdown.split(/^(?=#{1,4} )/m).flatMap((part) => {
    const [line = '', ...rest] = part.split('\n');
    const heading = toPlain(line.replace(/^#+ /, ''));
    return heading === '' ? [] : [{ heading, anchor: toAnchor(heading), text: toPlain(rest.join('\n')) }];
  });

/** @param findAddress the target of a link; undefined where there is none, which shows the link as plain text */
export const renderMarkdown = (markdown: string, findAddress: (link: string) => string | undefined): RenderedPage => {
  const toAddress = (href: string): string | undefined => (/^https?:/.test(href) ? href : findAddress(href));
  const marked = new Marked({
    gfm: true,
    renderer: {
      // Comments mark blocks for the tests; pages have no other HTML.
      html: () => '',
      heading({ tokens, depth, text }: Tokens.Heading) {
        const anchor = toAnchor(toPlain(text));
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const address = toAddress(href);
        return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const address = findAddress(href);
        return address === undefined
          ? escapeHtml(text)
          : `<img src="${escapeHtml(address)}" alt="${escapeHtml(text)}">`;
      },
      code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`,
      checkbox: () => '',
      tablecell({ tokens, header }: Tokens.TableCell) {
        const tag = header ? 'th' : 'td';
        return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>\n`;
      },
    },
  });
  const sections = toSections(markdown.replace(/```[^]*?```/g, (block) => block.replace(/^#/gm, ' #')));
  const html = marked
    .parse(markdown, { async: false })
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>');
  return { title: sections[0]?.heading ?? 'Berth', html: html.replaceAll('</table>', '</table></div>'), sections };
};
