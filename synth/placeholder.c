typedef int synth_placeholder;
