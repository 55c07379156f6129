// engine.js - functions of all of V8's compilers; tests/lib/mkengine.py makes a recording of it smaller.
function add(a,b){return a+b}
function f(a,b){let s=0;for(let i=0;i<40;i++)s=add(s,a*i^b);return s}
function g(n){return n<2?n:g(n-1)+g(n-2)}
%PrepareFunctionForOptimization(f);%PrepareFunctionForOptimization(g);
let t=0;t+=f(3,3);t+=g(6);
%CompileBaseline(f);%CompileBaseline(g);
t+=f(4,3);t+=g(6);
%OptimizeFunctionOnNextCall(f);%OptimizeFunctionOnNextCall(g);
t+=f(5,3);t+=g(7);
t+=f("x",{});t+=f(5,3);
t+="a,b,c".replace(/b+|c/g,'x');
console.log(t)
