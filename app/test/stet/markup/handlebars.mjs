// Reads [[template, data], ...] from a JSON file and prints, for each, what Handlebars does with it:
// {error}, or {names, text} with the names that it looks up and the filled text (null if a helper or partial is missing, or where Mustache differs).
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [folder, from, to] = process.argv.slice(2);
const Handlebars = createRequire(folder + '/')('handlebars');
Handlebars.logger.log = () => {};
const helpers = ['each', 'if', 'unless', 'with', 'lookup', 'log'];

/** The names of api.md, Variables, from the syntax tree. */
function namesOf(tree) {
  const names = new Set();
  const isScoped = path => /^\.|this\b/.test(path.original);
  const ask = (path, declared) => {
    const parts = path.data ? (path.parts[0] === 'root' ? path.parts.slice(1) : []) : path.parts;
    const isDeclared = !path.data && !isScoped(path) && declared.includes(parts[0]);
    if (parts.length > 0 && parts.join('.') !== '' && !isDeclared) {
      names.add(parts.join('.'));
    }
  };
  const operand = (node, declared) => {
    if (node.type === 'PathExpression') {
      ask(node, declared);
    } else if (node.type === 'SubExpression') {
      operands(node, declared);
    }
  };
  const operands = (node, declared) => {
    node.params.forEach(param => operand(param, declared));
    node.hash?.pairs.forEach(pair => operand(pair.value, declared));
  };
  const call = (node, declared) => {
    const path = node.path.parts ? node.path : { original: node.path.original + '', parts: [node.path.original + ''], depth: 0 };
    const isWord = path.parts.length === 1 && !path.data && !isScoped(path);
    if (node.params.length === 0 && !node.hash && !(isWord && helpers.includes(path.parts[0]))) {
      ask(path, declared);
    }
    operands(node, declared);
  };
  const walk = (program, declared) => program?.body.forEach(node => {
    switch (node.type) {
      case 'MustacheStatement':
        call(node, declared);
        break;
      case 'BlockStatement':
        call(node, declared);
        walk(node.program, [...declared, ...node.program?.blockParams ?? []]);
        walk(node.inverse, [...declared, ...node.inverse?.blockParams ?? []]);
        break;
      case 'DecoratorBlock':
        operands(node, declared);
        walk(node.program, [...declared, ...node.program?.blockParams ?? []]);
        break;
      case 'PartialStatement':
      case 'PartialBlockStatement':
        node.name.type === 'SubExpression' && operands(node.name, declared);
        operands(node, declared);
        walk(node.program, declared);
        break;
      default:
    }
  });
  walk(tree, []);
  return [...names].sort();
}

function resultOf([template, data]) {
  try {
    Handlebars.precompile(template);
  } catch (failure) {
    return { error: String(failure.message) };
  }
  let text = null;
  try {
    text = Handlebars.compile(template)(data);
    // The preview looks names up in the enclosing values too, as Mustache does.
    text = text === Handlebars.compile(template, { compat: true })(data) ? text : null;
  } catch {
    // The app would have to register a helper or partial.
  }
  return { names: namesOf(Handlebars.parse(template)), text };
}

writeFileSync(to, JSON.stringify(JSON.parse(readFileSync(from, 'utf8')).map(resultOf)));
