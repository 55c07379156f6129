typedef int walker_placeholder;
