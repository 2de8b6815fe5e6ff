// The tabs beside the editor, with what the server has found in the text.
import { html } from './dom.js';
import { attempt } from './dialog.js';
import { featuresPanel } from './features.js';
import { blocksPanel } from './panels.js';
import { groupsOf, problemClass, problemList, setProblems } from './problems.js';
import { tabs } from './tabs.js';

/**
 * @param text   the text in the editor
 * @param before tabs before the common ones
 * @param after  tabs behind them
 * @param layout gives the panes of the page
 * @param path   address of the text
 * @param check  checks the text again
 */
export function detailsTabs({ text, isDraft, before, after, layout, path, check }) {
  const problemsFound = html`<div></div>`;
  const features = featuresPanel({
    path: isDraft ? path : null, goTo, onClients: check, accepted: () => text.saved().accepted ?? [],
    onAccepted: accepted => text.setDetails({ ...text.saved(), accepted }),
  });
  const checks = html`<div>${problemsFound}${features.node}</div>`;
  const blocks = blocksPanel(goTo);
  const { variables } = text;
  const { node, refresh, setCounter, show: showTab } = tabs(`About this ${isDraft ? 'template' : 'block'}`, [
    ...before,
    { name: 'Variables', panel: variables.node },
    { name: 'Blocks', panel: blocks.node },
    { name: 'Checks', panel: checks },
    ...after,
  ]);

  /** Shows the answer to a check. */
  function show({ problems: all, moreProblems, ...found }) {
    const sets = isDraft ? setProblems(found.sets) : [];
    // A block has no subject, so nothing can be wrong with it.
    const problems = [...(isDraft ? all : all.filter(problem => problem.field !== 'subject')), ...sets];
    text.menu.learn([...found.variables.map(variable => variable.name), ...variables.names()]);
    variables.show(found);
    blocks.show(found.blocks, isDraft ? text.saved().stale : []);
    problemsFound.replaceChildren(problemList(problems, moreProblems, goTo));
    features.show(found.features ?? []);
    setCounter('Variables', found.variables.length + found.moreVariables || null);
    setCounter('Blocks', found.blocks.length || null);
    setCounter('Checks', groupsOf(problems).length + moreProblems || null, problemClass(problems));
  }

  /** Shows a place: a set of test data, the subject, or a line of the HTML; without any of them the text. */
  function goTo({ field, line, set }) {
    if (set) {
      showVariables(() => variables.goToSet(set));
      return;
    }
    layout().showText();
    if (field === 'subject') {
      text.subject.focus();
    } else if (line) {
      text.code.goToLine(line);
    }
  }

  function showVariables(then) {
    layout().showDetails();
    showTab('Variables');
    attempt(then);
  }

  return { node, show, refresh, setCounter, goTo, goToVariable: names => showVariables(() => variables.goToSample(names)) };
}
