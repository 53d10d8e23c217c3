// For `node src/main.ts`. `npm start` begins with main.js at once, which spares Node the loading of its type stripper.
import './main.js'
