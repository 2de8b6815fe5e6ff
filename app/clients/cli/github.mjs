// A push's plan for a pull request on GitHub: Markdown for the output and the job's summary, and an annotation for each problem with a
// place. All names and sentences are in code spans, so that they contain no links, mentions or HTML.

import { isImage, ofBlock } from './files.mjs';
import { amount, encodable, printable } from './text.mjs';

const PLACE = /((?:templates|blocks|images)\/[^:]*): (?:lines? ([0-9]+))?/;

/** Says whether a name in a plan is that of an image or of a shared block. */
export function what(block) {
  return isImage(block) ? ' (image)' : ' (shared block)';
}

/** @param sentenceOf puts a conflict into words */
export function markdown(target, plan, dryRun, sentenceOf) {
  const lines = [`**${code(target)}**${dryRun ? ', a dry run' : ''}`, ''];
  plan.previews.forEach((link, id) => lines.push(`- [Preview of ${code(id)}](${link})`)); // first, because the end may be cut
  const names = (verb, all) => (all.length === 0 ? '' : `; ${verb} ${all.map(code).join(', ')}`);
  plan.created.forEach((id) => lines.push(`- ${code(id)} is new`));
  plan.changed.forEach((id) => lines.push(`- ${code(id)} changes`));
  plan.blocks.forEach((name) => lines.push(`- ${code(name)}${what(name)} changes`));
  plan.pruned.forEach((id) => lines.push(`- ${code(id)} moves to the trash${plan.prunedReviewLinks.has(id)
    ? `, and ${amount(plan.prunedReviewLinks.get(id), 'review link')} revoked` : ''}`));
  plan.prunedBlocks.forEach((name) => lines.push(`- ${code(name)}${what(name)} is deleted`));
  plan.published.forEach((id) => {
    const { added, removed } = plan.variables.get(id) ?? { added: [], removed: [] };
    lines.push(`- ${code(id)} is published${names('needs', added)}${names('no longer needs', removed)}`);
  });
  new Set(plan.warnings).forEach((sentence) => lines.push(`- ${code(sentence)}`));
  [...plan.conflicts, ...plan.overwritten].forEach((conflict) => lines.push(`- ⚠ ${code(sentenceOf(conflict))}`));
  lines.push(`${lines.length === 2 ? '' : '\n'}${plan.unchanged} unchanged`);
  return encodable(`${lines.join('\n')}\n`);
}

/** Annotations of a plan, each a line. @param folder as given on the command line */
export function annotations(plan, folder, sentenceOf) {
  return [...[...new Set(plan.warnings)].map((sentence) => annotation(sentence.startsWith('Error: ') ? 'error' : 'warning', sentence, folder)),
    ...plan.conflicts.map((conflict) => line('error', folder, conflict.kind === 'block' ? ofBlock(conflict.id) : `templates/${conflict.id}.html`,
      sentenceOf(conflict)))];
}

/** Annotates the place that a sentence names, or the whole run. @param level error or warning */
export function annotation(level, sentence, folder) {
  const [, path, number] = PLACE.exec(sentence) ?? [];
  return line(level, folder, path, sentence, number);
}

function line(level, folder, path, sentence, number) {
  const place = folder.replace(/^(\.\/+)+/, '').replace(/\/+$/, '');
  const file = path === undefined ? '' : ` file=${property(place === '' || place === '.' ? path : `${place}/${path}`)}${number === undefined ? '' : `,line=${number}`}`;
  return encodable(`::${level}${file}::${data(sentence)}`);
}

function data(text) {
  return printable(text).replaceAll('%', '%25');
}

function property(text) {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function code(text) {
  return `\`${printable(text).replaceAll('`', "'")}\``;
}
