// The page of the preview: a frame only. All that comes from a conversation is set as text by the page's script.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** Absolute path of the folder that the page may load from. */
export const mediaFolder = (extensionPath: string) =>
  vscode.Uri.joinPath(vscode.Uri.file(extensionPath), 'media', 'rebuild');

const hand = [
  ['chat', 'Hand to VS Code’s Chat'],
  ['nextStart', 'Give to the Agent’s Next Start'],
  ['terminal', 'Start the Agent in a Terminal'],
  ['copy', 'Copy'],
  ['markdown', 'Save as Markdown…'],
  ['json', 'Save as JSON Messages…'],
  ['distill', 'Keep the Summary in the Conversation'],
] as const;

export function rebuildHtml(webview: vscode.Webview, extensionPath: string): string {
  const nonce = randomBytes(16).toString('base64url');
  const uri = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(mediaFolder(extensionPath), name)).toString();
  const csp = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}';`;
  const buttons = hand.map(
    ([action, title], at) =>
      `<button type="button" data-action="${action}"${at === 0 ? '' : ' class="secondary"'}>${title}</button>`,
  );
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<link rel="stylesheet" href="${uri('rebuild.css')}">
<title>Rebuilt context</title>
</head>
<body>
<main>
<header>
<h1 id="title"></h1>
<p><span id="point"></span> <button type="button" class="link" data-action="other">Another Point or Conversation…</button></p>
</header>
<section aria-labelledby="size">
<h2 id="size">Size</h2>
<div id="bars" role="img"></div>
<label for="keep">Keep word for word: <output id="keepText" for="keep"></output></label>
<input id="keep" type="range" min="0" step="1">
<p id="figures" role="status"></p>
</section>
<section id="hand" aria-labelledby="handTitle">
<h2 id="handTitle">Use it</h2>
<div class="buttons">${buttons.join('\n')}</div>
<p id="status" role="status"></p>
</section>
<section aria-labelledby="summaryTitle">
<h2 id="summaryTitle">Summary</h2>
<p id="by"></p>
<textarea id="summary" aria-labelledby="summaryTitle" aria-describedby="by" spellcheck="false"></textarea>
<div class="buttons">
<button type="button" class="secondary" data-action="model">Write It With a Language Model…</button>
<button type="button" class="secondary" data-action="reset">Discard My Changes</button>
</div>
</section>
<details><summary><h2 id="keptTitle"></h2></summary><ol id="kept" aria-labelledby="keptTitle"></ol></details>
<details><summary><h2 id="summarizedTitle"></h2></summary><ol id="summarized" aria-labelledby="summarizedTitle"></ol></details>
</main>
<script nonce="${nonce}" src="${uri('rebuild.js')}"></script>
</body>
</html>`;
}
