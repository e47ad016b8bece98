import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** Where the panel's own code and style are; nothing else may be loaded. */
export const panelResources = (extensionUri: vscode.Uri) => [
  vscode.Uri.joinPath(extensionUri, 'dist'),
  vscode.Uri.joinPath(extensionUri, 'media', 'panel'),
];

/** The empty page. What it shows is made by its code, from messages, as text. */
export function panelHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const nonce = randomBytes(18).toString('base64');
  const uri = (...path: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path)).toString();
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${webview.cspSource};`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri('media', 'panel', 'panel.css')}">
<title>Conversation</title>
</head>
<body>
<script nonce="${nonce}" src="${uri('dist', 'panel.js')}"></script>
</body>
</html>`;
}
